/**
 * Listens on a free port of 127.0.0.1, prints its address as Turnpike does, and stops at SIGTERM.
 *
 * @param {import('node:http').Server} server
 */
export function announce(server) {
  server.listen(0, '127.0.0.1', 4_096, () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.stdout.write(`serves http://127.0.0.1:${port}\n`);
  });
  process.once('SIGTERM', () => {
    server.close();
    server.closeAllConnections();
    // An orderly exit, at which a CPU profile is written.
    setImmediate(() => process.exit(0));
  });
}
