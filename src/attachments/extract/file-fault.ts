/** A fault that a file's sender can do something about; its message completes "The file …". */
export class FileFault extends Error {}
