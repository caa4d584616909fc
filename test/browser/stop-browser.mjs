/** Jest's `globalTeardown`. */
export default () => globalThis.stopBrowser();
