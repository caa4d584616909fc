import { jest } from '@jest/globals';

// A browser beside the server it talks to, and another test, on two processors.
jest.setTimeout(120_000);
