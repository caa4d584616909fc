/** The answer to an error. */
export interface ErrorVerdict {
  /** HTTP status. */
  status: number;
  /** Whether the same request, sent again unchanged, may be accepted. */
  retryable: boolean;
  /** `Retry-After` of the answer, in seconds. Absent: none, or what the call gives. */
  retryAfterSeconds?: number | undefined;
}

/** A code of the table, for `docs/reference/errors.md` and the API's description. */
export interface ErrorEntry extends ErrorVerdict {
  /** In Markdown, whole sentences. */
  means: string;
  /** Remedy for the client or the operator. In Markdown, whole sentences. */
  action: string;
  /** Further verdicts of the code, by the name that a call gives. */
  cases?: Readonly<Record<string, ErrorVerdict & { means: string }>>;
}

/** Errors that the same request would meet again. */
function final(status: number, means: string, action: string) {
  return { status, retryable: false, means, action };
}

/** Errors that may have passed when the same request is sent again. */
function later(status: number, means: string, action: string, retryAfterSeconds?: number) {
  return { status, retryable: true, retryAfterSeconds, means, action };
}

/**
 * All errors that a client may see, by code. A code never changes its meaning and is never removed. In one file, however
 * long: a code that two parts of the server had would be two meanings.
 */
export const errorTable = {
  APPROVAL_NOT_FOUND: final(
    404,
    "There is no such approval, or it is another principal's.",
    '`GET /api/harness/approvals` lists the open ones.',
  ),
  APPROVAL_RESOLVED: final(
    409,
    'The approval was answered otherwise, its deadline passed, or its turn has ended; see `details.decision` and `details.by`. Nothing was changed.',
    'Continue with the stream.',
  ),
  ATTACHMENT_FAILURE: final(
    400,
    'None of the files could be taken, and there is no text; or, for a named agent, not all of them could. `details.attachmentErrors` has the reason for each.',
    'Correct the files by their reasons, or send text with them.',
  ),
  ATTACHMENT_NOT_FOUND: final(
    404,
    'There is no such file, or it is not one of yours. It goes with its session; an upload that no turn names, after a day.',
    'Take the id from the messages of the session, or send the file again.',
  ),
  ATTEMPTS_EXHAUSTED: final(
    500,
    "On the stream: the turn's processes died, or lost it, as often in a row as `TURNPIKE_MAX_ATTEMPTS` allows, without storing anything new; its reason is `attempts_exhausted`. Earlier steps are kept, and the session is free.",
    "Send another message. The operator finds in the processes' log what ended them; the last step of the turn is the first suspect.",
  ),
  BODY_TOO_LARGE: final(
    413,
    'The request is larger than its route takes, or inflates to more than ten times what was sent. `TURNPIKE_MAX_BODY_BYTES` bounds plain JSON bodies, `TURNPIKE_MAX_CONVERSATION_BYTES` those with a whole conversation (AG-UI, AI SDK, Responses).',
    'Send fewer or smaller files; large content belongs in an attachment.',
  ),
  BUDGET_EXHAUSTED: later(
    429,
    'The principal has used its tokens or dollars of the day; see `details.budget`. `GET /api/harness/usage` shows what is left.',
    'Send it again after `Retry-After` seconds, at midnight UTC, or give the key a higher limit.',
  ),
  CLIENT_LEFT: final(
    499,
    'The client closed its request before there was an answer. Only logs have this error.',
    'Send the request again.',
  ),
  CONSOLE_NOT_BUILT: final(
    404,
    'The server has no console to serve, or it was built anew since the server started.',
    'Run `npm run build` and start the server again; `TURNPIKE_CONSOLE=false` serves none.',
  ),
  DECISION_TREE_NOT_FOUND: final(
    500,
    'The agent names a decision tree that this server does not have.',
    'Correct `decision_tree` in its file.',
  ),
  EXTENSION_FAILURE: final(
    500,
    "A decision tree of an extension threw an error, or gave an answer of the wrong shape; `details` names the module, the tree and the operation, the server's log has the error.",
    "The operator corrects the extension (`docs/how-to/extensions.md`), or the agent's file names another `decision_tree`.",
  ),
  FEEDBACK_LIMIT: final(
    409,
    'The turn has feedback for as many keys as it takes.',
    'Change or delete the feedback of one of them.',
  ),
  FEEDBACK_NOT_FOUND: final(
    404,
    'The turn has no feedback of this key.',
    '`GET /api/harness/turns/{id}/feedback` lists what it has.',
  ),
  FILE_TOO_LARGE: final(
    413,
    'One file is over the limit of its route; the message names both.',
    'Send a smaller file, or as multipart instead of base64.',
  ),
  FORBIDDEN_ORIGIN: final(
    403,
    '`Host` or `Origin` is not a loopback name, and there are no API keys.',
    "Call 127.0.0.1, or list the page's origin in `TURNPIKE_CORS_ORIGINS`; or make an API key.",
  ),
  FORBIDDEN_SCOPE: final(
    403,
    'The API key is not for this route; `details.needed` is the scope it lacks.',
    'Use a key that has the scope, or make one: `turnpike keys create --scopes …`.',
  ),
  IDEMPOTENCY_KEY_REUSED: final(
    422,
    'The `Idempotency-Key` was used for another request.',
    'Use a new key for a new request.',
  ),
  IMPORT_INVALID: final(
    400,
    'The file is no whole export, or a line of it is not what it should be; `details.line` has its number. Nothing of the session at that line was stored; `details.imported` counts the sessions before it, which were.',
    'Export the sessions again, or correct the line. Importing the same file again goes on after the sessions that are here.',
  ),
  IMPORT_TOO_NEW: final(
    400,
    'The file was exported by a newer version, in a format that this one does not know. Nothing was imported.',
    'Upgrade this server, then import the file.',
  ),
  INSTRUCTION_ROOT_INVALID: final(
    500,
    'The instruction root lacks files; `details` lists them.',
    'Add them, or set `TURNPIKE_INSTRUCTION_ROOT`.',
  ),
  INTERRUPTED: final(
    499,
    'The turn was ended by an interrupt, or because nobody read it any more.',
    'Send the message again. `opts.onDisconnect: "continue"` keeps turns without readers going.',
  ),
  INVALID_REQUEST: {
    ...final(
      400,
      'A field is missing or wrong; the message names it and what is allowed.',
      'Correct the request.',
    ),
    cases: {
      fields: {
        status: 422,
        retryable: false,
        means: "on the routes of preferences and the oracle, which list every field's fault",
      },
    },
  },
  KEY_NOT_FOUND: final(
    404,
    'There is no API key with that id.',
    '`turnpike keys list` shows those there are.',
  ),
  MEMORY_CHANGED: final(
    412,
    'The file in the memory is not in the state that `If-Match` or `If-None-Match` names: something else wrote it. Nothing was changed.',
    'Read the file, and send the request again with its `ETag`.',
  ),
  MEMORY_FILE_NOT_FOUND: final(
    404,
    'The memory has no file of this path.',
    '`GET /api/harness/memory/{agent}` lists the files there are.',
  ),
  MEMORY_FULL: final(
    409,
    'The write is beyond `TURNPIKE_MEMORY_FILES`, `TURNPIKE_MEMORY_FILE_BYTES` or `TURNPIKE_MEMORY_BYTES`. Nothing was written.',
    'Delete or shorten files, then write again.',
  ),
  MEMORY_OFF: final(
    403,
    'The server has `TURNPIKE_MEMORY` set to `false`: nothing writes to a memory.',
    'Read and delete what is there, or ask the operator.',
  ),
  METHOD_NOT_ALLOWED: final(
    405,
    'There is such a route, and it does not take the method.',
    'Use a method that `Allow` lists.',
  ),
  MISSING_API_KEY: {
    ...final(503, 'The server has no key for the model provider.', 'Set `ANTHROPIC_API_KEY`.'),
    cases: {
      question: {
        status: 400,
        retryable: false,
        means: 'to a question whose answer is not streamed (`POST /api/oracle`)',
      },
    },
  },
  OUTPUT_INVALID: final(
    422,
    "On the stream: no reply of the turn was the object that `opts.output` asked for; `details` has the faults of the last one, whose text is in the turn's messages.",
    'Say more of the object in the message or in `description`s, make the schema simpler, or allow more `repairs`.',
  ),
  PERSONA_NOT_FOUND: final(
    404,
    'There is no agent of that name; the message lists those there are.',
    'Use one of them, or add its file.',
  ),
  QUEUE_FULL: later(
    429,
    'As many turns are queued as may be. Nothing was stored.',
    'Send it again after `Retry-After` seconds.',
    5,
  ),
  RATE_LIMITED: later(
    429,
    'The principal has sent as many requests as it may in `details.perMs`, or the address too many wrong keys.',
    'Send it again after `Retry-After` seconds.',
  ),
  REQUEST_TIMEOUT: later(
    408,
    'Nothing came for `TURNPIKE_RECEIVE_TIMEOUT_MS` while a body was received.',
    'Send it again.',
  ),
  ROUTE_NOT_FOUND: final(404, 'There is no such route.', 'See `/docs`.'),
  SCHEDULE_EXISTS: final(
    412,
    'The principal has a schedule with this key, and the request has `If-None-Match: *`. Nothing was changed.',
    'Choose another key, or send the request without the header to replace the schedule.',
  ),
  SCHEDULE_LIMIT: final(
    429,
    'The principal has as many schedules as it may have.',
    'Delete one, or raise `TURNPIKE_SCHEDULES_PER_PRINCIPAL`.',
  ),
  SCHEDULE_NOT_FOUND: final(
    404,
    'The principal has no schedule with this key.',
    '`GET /api/harness/schedules` lists those there are.',
  ),
  SCHEDULE_PAUSED: final(
    409,
    'In the record of a run: the last runs of the schedule failed, and it was paused before this one.',
    'Mend the schedule, then resume it.',
  ),
  SDK_FAILURE: {
    ...final(
      500,
      'A fault of the server, which its log has under `correlationId`; or a failure of the model provider, which has a `details.category`, and the status of the provider where it gave one.',
      'See [failures of the provider](#failures-of-the-provider).',
    ),
    cases: {
      refused: {
        status: 400,
        retryable: false,
        means: 'where the server would not send the request: its address, or its model',
      },
      unreadable: {
        status: 502,
        retryable: true,
        means: "where the provider's answer was broken off, broke its rules or had no content",
      },
      unknown: {
        status: 502,
        retryable: false,
        means: 'where the answer is of a kind that this version does not know',
      },
      noKey: {
        status: 503,
        retryable: false,
        means: 'where the check of a session finds no key for the provider',
      },
      unreachable: {
        status: 503,
        retryable: true,
        means: 'where the connection could not be made, or broke',
      },
      wrongAddress: {
        status: 503,
        retryable: false,
        means: 'where there is no such address, or its certificate is not trusted',
      },
      timedOut: {
        status: 504,
        retryable: true,
        means: 'where the provider did not answer in time',
      },
    },
  },
  SESSION_LIMIT: final(
    429,
    'There are as many sessions as may be kept.',
    'Delete some, or raise `TURNPIKE_MAX_SESSIONS`.',
  ),
  SESSION_NOT_FOUND: final(
    404,
    'There is no such session, or no turn is active in it (`details.reason`).',
    'Make a session, or stop interrupting.',
  ),
  SESSION_QUEUE_FULL: later(
    429,
    'As many turns and messages are held in the session as `TURNPIKE_SESSION_QUEUE` allows. Nothing was stored.',
    'Wait until one has ended, then send it again.',
    5,
  ),
  SHUTTING_DOWN: later(503, 'The server is stopping.', 'Send it again in a few seconds.', 5),
  STORAGE_UNAVAILABLE: later(
    503,
    'The database does not answer. Accepted turns go on when it does.',
    'Send it again, a turn with its `Idempotency-Key`.',
    5,
  ),
  STREAM_EXPIRED: final(
    410,
    'The events of the turn are not kept any more.',
    'Read the messages of its session.',
  ),
  TOO_MANY_READERS: {
    ...later(
      429,
      'The principal reads as many streams, and answers that wait for a turn, of this process as `TURNPIKE_READERS_PER_PRINCIPAL` allows. Nothing was stored.',
      'Close some, or send it again after `Retry-After` seconds. `details.of` says whose limit it is.',
      5,
    ),
    cases: {
      process: {
        status: 503,
        retryable: true,
        retryAfterSeconds: 5,
        means: 'where all principals together read as many as `TURNPIKE_READERS` allows',
      },
    },
  },
  TOO_MANY_TURNS: later(
    429,
    'As many turns of the key have not ended as it may have. Nothing was stored.',
    'Wait for one to end, or interrupt one; then send it again.',
    5,
  ),
  TURN_IN_PROGRESS: later(
    409,
    'The session has an active turn.',
    'Send it with `opts.onBusy`, wait for the turn’s end, or interrupt it; then the same request may be taken.',
    2,
  ),
  TURN_NOT_FOUND: final(404, 'There is no such turn or message.', 'Check the id.'),
  TURN_SUPERSEDED: final(
    409,
    'The turn that `opts.replaces` names was replaced before, or followed one that was; `details.supersededBy` is the turn that did. Nothing was stored.',
    'Load the conversation again, and replace a turn that is in it; or fork the session at the superseded one.',
  ),
  UNAUTHENTICATED: final(
    401,
    'The server has API keys, and the request has none that is taken: `details.reason` is `MISSING`, `UNKNOWN`, `EXPIRED` or `REVOKED`.',
    'Send `Authorization: Bearer tpk_…`; make a key with `turnpike keys create`.',
  ),
  UNSUPPORTED_MEDIA_TYPE: final(
    415,
    'The body has a `Content-Encoding` or a charset that the route cannot read, or a page sent it without `Content-Type: application/json`.',
    'Send JSON in UTF-8, plain or in gzip, deflate or br; bodies with files as they are.',
  ),
  WEBHOOK_DELIVERY_NOT_FOUND: final(
    404,
    'The webhook has no such delivery; those that were delivered are kept for `TURNPIKE_WEBHOOK_KEEP_DAYS`.',
    '`GET /api/harness/webhooks/{id}/deliveries` lists those there are.',
  ),
  WEBHOOK_DISABLED: final(
    409,
    'The webhook is disabled: by its owner, or as its endpoint answered 410. Nothing is sent to it.',
    'Enable it, then send again.',
  ),
  WEBHOOK_LIMIT: final(
    429,
    'The principal has as many webhooks as it may have.',
    'Delete one, or raise `TURNPIKE_WEBHOOKS_PER_PRINCIPAL`.',
  ),
  WEBHOOK_NOT_FOUND: final(
    404,
    "There is no such webhook, or it is another principal's.",
    '`GET /api/harness/webhooks` lists those there are.',
  ),
  WEBHOOK_URL_REFUSED: final(
    400,
    'Nothing may be sent to the URL: it is no URL, has a credential, is not https, or names an address that is not public.',
    'Give a public https URL. The operator lists hosts inside the network in `TURNPIKE_WEBHOOK_PRIVATE_HOSTS`, also for development: they may have private addresses, and http.',
  ),
  WORKING_ROOT_CONFLICT: final(
    409,
    "The project folder is, or leads into, the instruction root, the server's own data, `/proc`, `/sys` or `/dev`, or it is `/`; or it is not open to the key: `details.openRoots` has the folders that are. A session whose folder was closed since can be read, and takes no turns.",
    'Choose another folder, or have one opened with `TURNPIKE_PROJECT_ROOTS` or for the key (`projectRoots`).',
  ),
  WORKING_ROOT_INACCESSIBLE: final(
    404,
    'The project folder is missing, no folder, or not readable and writable.',
    'Create it, or correct its permissions.',
  ),
} satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof errorTable;

/** Codes with several verdicts, each with the names of the further ones. */
export type ErrorCases = {
  [
    Code in ErrorCode as (typeof errorTable)[Code] extends { cases: object } ? Code : never
  ]: (typeof errorTable)[Code] extends { cases: infer Cases } ? keyof Cases : never;
};

/** A table entry with its general type, for access to any code's cases. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return errorTable[code];
}
