/**
 * @typedef {object} Finding a line of the report.
 * @property {string} what
 * @property {number} value @property {string} unit
 * @property {number} [most] the value that still meets the target.
 * @property {string} [note]
 */

/** @typedef {import('../run-scenarios.mjs').BenchContext} BenchContext */

export {};
