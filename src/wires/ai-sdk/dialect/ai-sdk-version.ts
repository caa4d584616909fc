/**
 * What a client knows of the protocol: the chunks of the package's major 6, all of which 7 knows too; those of 7, from
 * 7.0.70 on; or those and `steering-message`, from 7.0.163 on. A client throws on a chunk that it does not know.
 */
export const aiSdkVersions = ['6', '7', '7-steering'] as const;

export type AiSdkVersion = (typeof aiSdkVersions)[number];

/** The header that names the version, and the field of the query for clients whose proxies drop headers. */
export const VERSION_FIELD = 'x-turnpike-ai-sdk';

/** What the ids of a version's frames begin with: the frames of two versions have other numbers. */
export function cursorPrefix(version: AiSdkVersion): string {
  return version === '6' ? '' : `${version};`;
}

/** A frame's id in its parts: the version that wrote it, and the turn's cursor. */
export function splitCursor(id: string): { version: AiSdkVersion; cursor: string } {
  const written = aiSdkVersions.find((one) => one !== '6' && id.startsWith(cursorPrefix(one)));
  const version = written ?? '6';
  return { version, cursor: id.slice(cursorPrefix(version).length) };
}
