/** An absolute path of two parts or more, but not the path of a URL; `name` is its last part. Global. */
export const hostPath = /(?<![\w:/.])(?:file:\/\/)?\/(?:[^\s'"`:,;()]+\/)+(?<name>[^\s'"`:,;()]*)/g;
