import path from 'node:path';
import { unlessGone } from '../error-code.js';
import { closing, FolderHandle } from './folder-handle.js';

/** The names in a folder that are like one that is not there. */
type LookAlike =
  /** The only name that looks like it. */
  | { only: string }
  /** The names that do, or that share all but the ending; sorted. */
  | { near: readonly string[] };

/**
 * Looks for the name that is meant where one is not there: macOS puts narrow blanks into names of screenshots, and
 * writes accents as letters of their own. For reading: nothing may be written to a name that was not asked for.
 *
 * @param folder absolute, without links: one that has become a link has no names, as one that is gone.
 * @throws the error of the system for a folder that may not be listed.
 */
export async function findLookAlike(folder: string, name: string): Promise<LookAlike> {
  const alike: string[] = [];
  const near: string[] = [];
  const [looks, stem] = [fold(name), stemOf(name)];
  const opened = await unlessGone(FolderHandle.open(folder));
  if (opened === undefined) return { near };
  await closing(opened, async () => {
    // Entries come in batches: a folder of a million holds up nobody else.
    for await (const { name: one } of opened.entries()) {
      if (fold(one) === looks) alike.push(one);
      else if (stemOf(one) === stem) near.push(one);
    }
  });
  const [only, ...others] = alike;
  if (only !== undefined && others.length === 0) return { only };
  return { near: (only === undefined ? near : alike).toSorted() };
}

/** The look of a name: composed letters, one kind of blank and of quotes. */
function fold(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\p{Zs}\t]/gu, ' ')
    .replaceAll(/[\u2018\u2019\u02BC]/g, "'")
    .replaceAll(/[\u201C\u201D]/g, '"');
}

/** The part that near names share: without the ending, in small letters. */
function stemOf(name: string): string {
  return fold(path.parse(name).name).toLowerCase();
}
