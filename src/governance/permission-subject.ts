/**
 * The effect of a call: it reads, changes files, or runs anything at all. Permissions are keyed on
 * it.
 */
export type ToolEffect = 'read' | 'edit' | 'command';

/** The way in which an argument is compared with the pattern of a rule. */
export type ArgumentKind = 'command' | 'path' | 'text';

/** The argument of a call that the patterns of permission rules are about. */
export interface PermissionArgument {
  kind: ArgumentKind;
  /**
   * All spellings of the argument: a path is absolute, as written and with its links resolved. Empty
   * when the call has no such argument.
   */
  texts: readonly string[];
  /** Folders that relative path patterns start from, as written and resolved; only for paths. */
  roots?: readonly string[];
}

/** The part of a tool's definition that permission rules name. */
export interface RuleTool {
  name: string;
  /** The argument that rules as `bash(git status*)` match; absent: rules name the whole tool. */
  permissionArgument?: { name: string; kind: ArgumentKind } | undefined;
}
