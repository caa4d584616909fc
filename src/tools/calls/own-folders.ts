import type { Config } from '../../config/config.js';
import type { OwnFolders } from './resolve-own-paths.js';

type OwnSettings = Pick<
  Config,
  'blobDir' | 'dataDir' | 'instructionRoot' | 'mcpFile' | 'permissionsFile' | 'sandboxHide'
>;

/** What neither commands nor file tools have, and what they may not write. */
export function ownFolders(config: OwnSettings): OwnFolders {
  const { blobDir, dataDir, instructionRoot, mcpFile, permissionsFile } = config;
  return {
    data: [dataDir, ...(blobDir === undefined ? [] : [blobDir])],
    // It may have credentials.
    hidden: [...config.sandboxHide, ...(mcpFile === undefined ? [] : [mcpFile])],
    // Who could write them could say what they may do.
    protected: [instructionRoot, ...(permissionsFile === undefined ? [] : [permissionsFile])],
  };
}
