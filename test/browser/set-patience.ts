import { jest } from '@jest/globals';

// A browser beside the server it talks to, and another test, on two processors: now and then a page gets
// none for half a minute. What fails twice is a fault; the first time is in the log.
jest.setTimeout(120_000);
jest.retryTimes(1, { logErrorsBeforeRetry: true });
