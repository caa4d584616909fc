/** A disk that can be filled. */
export interface SmallDisk {
  /** The command as it runs where the disk is mounted, as its user. */
  inside(command: string[]): string[];
  /** Leaves no byte. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Called once its processes have ended. */
  close(): Promise<void>;
}

/** Mounts it over a folder, for its own processes alone. Rejects with the reason where this process may mount none. */
export function openSmallDisk(options: {
  folder: string;
  bytes: number;
  /** Whose it is, where this process is root's. */
  user?: { uid: number; gid: number };
}): Promise<SmallDisk>;
