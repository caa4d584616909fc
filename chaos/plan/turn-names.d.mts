export declare function nameOf(index: number): string;
export declare function withName(name: string, message: string): string;
export declare function namesIn(
  messages: readonly {
    role: string;
    content: string | readonly { type: string; text?: unknown }[];
  }[],
): string[];
export declare function parseName(text: unknown): string | undefined;
