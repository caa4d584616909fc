import type { PublicError } from './public-error.js';

/** The answer for an error, with all its headers, its `Content-Type` among them. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** Writes an error as the clients of a wire parse it. @param path of the request. */
export type ErrorShape = (error: PublicError, path: string) => ErrorAnswer;

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** The shape of errors on most routes. */
export const envelopeShape: ErrorShape = ({ status, headers, body }) => ({
  status,
  headers: { ...headers, ...json },
  body,
});

/** Lists the faults of a request as clients of FastAPI parse them; other errors are enveloped. */
export const faultsShape: ErrorShape = (error, path) =>
  error.faults === undefined
    ? envelopeShape(error, path)
    : { ...envelopeShape(error, path), body: { detail: error.faults } };
