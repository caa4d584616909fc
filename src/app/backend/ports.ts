import { REQUEST_COUNTER } from '../../governance/rates/request-rate.js';
import { BLOB_CONTENTS } from '../../attachments/blob-store.js';
import { EVENT_LOG } from '../../events/event-log.js';
import { DATABASE, OPENED_DATABASE } from '../../storage/connection.js';
import { SIGNAL_BUS } from '../../turn/queue/signal-bus.js';
import { TURN_QUEUE } from '../../turn/queue/turn-queue.js';

/** Publishes the process's address to programs of this machine. @param url `http://host:port`. */
export type PublishUrl = (url: string) => Promise<void>;

/** Injects the `PublishUrl` of the back end. */
export const PUBLISH_URL = Symbol('PublishUrl');

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
