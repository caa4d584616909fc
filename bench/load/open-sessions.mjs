const atATime = 16;

/**
 * @param {string} url @param {number} count @param {string} projectRoot
 * @returns {Promise<string[]>} ids of new sessions.
 */
export async function openSessions(url, count, projectRoot) {
  /** @type {string[]} */
  const ids = [];
  let asked = 0;
  const worker = async () => {
    while (asked < count) {
      asked += 1;
      const response = await fetch(`${url}/api/harness/session/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ projectRoot }),
      });
      if (!response.ok) throw new Error(`A session was refused: ${await response.text()}`);
      ids.push((await response.json()).session.sessionId);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return ids;
}
