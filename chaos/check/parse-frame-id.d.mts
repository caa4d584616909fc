export interface Place {
  attempt: number;
  seq: number;
  part: number;
}

export declare function parseFrameId(turnId: string, id: string): Place | undefined;
export declare function comparePlaces(a: Place, b: Place): number;
export declare function followsDirectly(before: Place | undefined, next: Place): boolean;
