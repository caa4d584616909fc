/**
 * The anchor of a heading, as GitHub makes it.
 *
 * @param {string} title
 */
export function slugOf(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
