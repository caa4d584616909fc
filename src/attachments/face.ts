/** Files that requests bring, and files that are stored. For wires and features. */

export { AttachmentsModule } from './attachments.module.js';
export { BlobStore, type ReceivedFile } from './blob-store.js';
export { cleanName } from './file-limits.js';
export type { ReceiveLimits } from './receive-limits.js';
export { receiveJson } from './receive/receive-json.js';
export { receiveMultipart } from './receive/receive-multipart.js';
export { fileIdInUrl, storedFileId, storedFileUrl } from './stored-files.js';
