import type { Config } from '../../config/config.js';
import type { OwnFolders } from './resolve-own-paths.js';

type FolderConfig = Pick<
  Config,
  'blobDir' | 'dataDir' | 'instructionRoot' | 'mcpFile' | 'permissionsFile' | 'sandboxHide'
>;

/** The server's own folders and files, which commands and file tools cannot read or cannot write. */
export function ownFolders(config: FolderConfig): OwnFolders {
  const { blobDir, dataDir, instructionRoot, mcpFile, permissionsFile } = config;
  return {
    data: [dataDir, ...(blobDir === undefined ? [] : [blobDir])],
    // The file of MCP servers may have credentials.
    hidden: [...config.sandboxHide, ...(mcpFile === undefined ? [] : [mcpFile])],
    // A tool that could write these would set its own permissions.
    protected: [instructionRoot, ...(permissionsFile === undefined ? [] : [permissionsFile])],
  };
}
