/**
 * Functions that tests import from `@jest/globals`. A file that two suites import is loaded once
 * and has to reach the functions of the running suite, so each is looked up when it is called.
 */
let current;

/** @param {Record<string, Function>} globals of the suite that runs from now on. */
export function useGlobals(globals) {
  current = globals;
}

const now = (name) =>
  new Proxy(function later() {}, {
    apply: (_target, _self, args) => current[name](...args),
    get: (_target, key) => current[name][key],
  });

export const afterAll = now('afterAll');
export const afterEach = now('afterEach');
export const beforeAll = now('beforeAll');
export const beforeEach = now('beforeEach');
export const describe = now('describe');
export const expect = now('expect');
export const it = now('it');
export const jest = now('jest');
export const test = now('test');
