export interface Cursor {
  attempt: number;
  seq: number;
  part: number;
}

export declare function parseFrameId(turnId: string, id: string): Cursor | undefined;
export declare function compareCursors(a: Cursor, b: Cursor): number;
export declare function followsDirectly(before: Cursor | undefined, next: Cursor): boolean;
