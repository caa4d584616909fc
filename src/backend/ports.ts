import { REQUEST_COUNTER } from '../governance/rates/request-rate.js';
import { BLOB_CONTENTS } from '../attachments/blob-store.js';
import { EVENT_LOG } from '../events/event-log.js';
import { DATABASE, OPENED_DATABASE } from '../storage/connection.js';
import { SIGNAL_BUS } from '../turn/queue/signal-bus.js';
import { TURN_QUEUE } from '../turn/queue/turn-queue.js';
import { PUBLISH_URL } from './publish-url.js';

/** Tokens that every back end provides. */
export const ports = [
  OPENED_DATABASE,
  DATABASE,
  EVENT_LOG,
  TURN_QUEUE,
  SIGNAL_BUS,
  REQUEST_COUNTER,
  BLOB_CONTENTS,
  PUBLISH_URL,
];
