/**
 * @typedef {object} Finding a line of the report.
 * @property {string} what
 * @property {number} value @property {string} unit
 * @property {number | undefined} [most] the value that still meets the target, or
 * @property {number} [least] where more is better.
 * @property {number} [aim] what the target is on the way to.
 * @property {string} [note]
 */

/** @typedef {import('../run-scenarios.mjs').BenchContext} BenchContext */

export {};
