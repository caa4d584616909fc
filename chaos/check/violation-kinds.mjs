/**
 * The meaning of each kind of violation.
 *
 * @type {Readonly<Record<import('../types.js').ViolationKind, string>>}
 */
export const violationKinds = {
  'bad-frame': 'a frame without a cursor of its turn, or with data that is no JSON object',
  repeated: 'a frame came to a reader twice',
  'out-of-order': 'a cursor went back',
  lost: 'an event is missing between two that came, or of the whole log',
  'two-readings': 'one cursor, two contents',
  'no-end': 'a turn without an end',
  'two-ends': 'a turn with two ends',
  'after-end': 'a frame after the end',
  'text-differs': "a stream's text is not the reply the database has",
  'end-differs': "a stream's end is not the one the database has",
  'result-differs': "a tool's result on the stream is not the ledger's",
  'turn-missing': 'an accepted turn the database does not have, or the API does not find',
  'repeat-refused': 'the repeat of a POST, with its Idempotency-Key, was refused',
  'key-ignored': 'one Idempotency-Key, two turns',
  'ran-twice': 'a tool with side effects ran twice',
  'ran-not': 'a tool with side effects that succeeded and left no trace',
  'ran-denied': 'a tool with side effects ran although it was denied',
  'open-call': 'a tool call without a result in a turn that has ended',
  'failed-without-cause': 'a turn failed that had no reason to',
  'cancelled-without-cause':
    'a turn was cancelled although nobody asked and its readers were there',
  'interrupt-ignored': 'a turn went on long after its interrupt was acknowledged',
  'busy-after-end': "a session's next turn was refused after the end of the one before",
  'bad-answer': 'an HTTP answer that no fault explains',
  'leaked-lease': 'a turn that has ended, with a lease',
  'active-left': 'a turn that never ended, in the database',
  'leaked-key': 'a key in Redis without a time to live that is none of the queue',
  'leaked-job': 'a job of a turn that has ended',
  'leaked-connection': 'more connections than at idle, long after',
  'leaked-process': "a tool's process that outlived its turn",
  died: 'a process that ended although nobody asked it to',
  'stuck-start': 'a process that neither serves nor ends',
  'unclean-exit': 'a process that was asked to stop and did not exit with 0',
  'limit-overrun': 'more tokens than the limit of the day, or a reservation without a call',
  'message-lost': 'a message that was steered into a turn that completed without it',
  'outlived-parent': "a subagent that went on long after its parent's end",
};
