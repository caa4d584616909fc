import { LoopShare } from '../../platform/loop-share.js';

/** Pieces of 64 KiB of files, on their way in, in one turn of the event loop: a few milliseconds. */
const MOST = 8;

/** Shared by all files of this process, as the loop is. */
export const chunkShare = new LoopShare(MOST);
