/** @typedef {import('../types.js').LineRow} LineRow */
/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').View} View */

/**
 * Checks the sessions of a run: each has one active line, that of its clients, and the turns of a fork are those of
 * its source.
 *
 * @param {readonly import('../types.js').ChaosSession[]} sessions
 * @param {readonly LineRow[]} rows of all turns, oldest first
 * @returns {Violation[]}
 */
export function checkLines(sessions, rows) {
  const known = new Map(rows.map((row) => [row.turnId, row]));
  return [
    ...sessions.flatMap((session) => checkLine(session, rows)),
    ...rows.flatMap((row) => [...checkSuperseded(row, known), ...checkCopy(row, known)]),
  ];
}

/**
 * @param {import('../types.js').ChaosSession} session
 * @param {readonly LineRow[]} rows
 * @returns {Violation[]}
 */
function checkLine({ sessionId, line, isUnsure }, rows) {
  const stored = rows
    .filter((row) => row.sessionId === sessionId && row.supersededBy === null)
    .map(({ name }) => name ?? 'a turn without a name')
    .join(' ');
  const expected = line.map(({ name }) => name).join(' ');
  if (isUnsure || stored === expected) return [];
  const turnId = line.at(-1)?.turnId ?? '';
  return [
    {
      kind: 'line-differs',
      turnId,
      note: `${sessionId}: the client has ${expected}; stored is ${stored}`,
    },
  ];
}

/**
 * @param {LineRow} row
 * @param {ReadonlyMap<string, LineRow>} known
 * @returns {Violation[]}
 */
function checkSuperseded({ turnId, sessionId, supersededBy }, known) {
  if (supersededBy === null) return [];
  const by = known.get(supersededBy);
  if (by?.sessionId === sessionId && by.replaces !== null) return [];
  return [
    {
      kind: 'line-differs',
      turnId,
      note: `superseded by ${supersededBy}, which replaces nothing here`,
    },
  ];
}

/**
 * @param {LineRow} row
 * @param {ReadonlyMap<string, LineRow>} known
 * @returns {Violation[]}
 */
function checkCopy({ turnId, copiedFrom, content }, known) {
  if (copiedFrom === null) return [];
  const source = known.get(copiedFrom);
  if (source?.content === content) return [];
  const note = source === undefined ? 'its source is gone' : `differs from ${copiedFrom}`;
  return [{ kind: 'fork-differs', turnId, note }];
}

/**
 * Checks the requests to the model: each has the turns of its turn's line, once, in order, and no others.
 *
 * @param {readonly View[]} views
 * @param {ReadonlyMap<string, View>} lines of the turns of the run, by name
 * @param {readonly LineRow[]} rows
 * @returns {Violation[]}
 */
export function checkViews(views, lines, rows) {
  const leftOut = new Set(rows.flatMap(({ name, isLeftOut }) => (isLeftOut ? [name] : [])));
  const superseded = new Set(
    rows.flatMap(({ name, supersededBy }) => (supersededBy === null ? [] : [name])),
  );
  const found = views.flatMap((view) => {
    const name = view.at(-1) ?? '';
    const line = lines.get(name);
    if (line === undefined) return [];
    const shown = view.slice(0, -1);
    const stray = shown.find((one) => !line.includes(one));
    const isWhole =
      line.filter((one) => !leftOut.has(one) || shown.includes(one)).join(' ') === shown.join(' ');
    if (stray === undefined && isWhole) return [];
    const kind = superseded.has(stray) ? 'superseded-shown' : 'view-differs';
    const turnId = rows.find((row) => row.name === name)?.turnId ?? '';
    const note = `${name} shows ${shown.join(' ')}; its line is ${line.join(' ')}`;
    return [{ kind, turnId, note }];
  });
  // A turn makes many requests, of one view.
  return [...new Map(found.map((one) => [one.note, one])).values()];
}
