import { TurnpikeError } from '#src/client/transport/client-errors.js';
import { isPlainObject } from '#src/platform/json.js';
import { describeFault } from '../../../api/describe-fault.js';
import { formatBytes } from '../../../components/format.js';

/** Why a file was refused. The name of the file is shown next to it. Pure. */
export function describeFileFault(fault: unknown): string {
  // Faults that this page finds are sentences already.
  const isOwn = fault instanceof Error && fault.constructor === Error;
  const text = reasonOf(fault) ?? (isOwn ? fault.message : describeFault(fault).text);
  const readable = text.replace(/\b(\d{4,}) bytes\b/g, (_all, bytes) => formatBytes(Number(bytes)));
  return readable.charAt(0).toUpperCase() + readable.slice(1);
}

/** The reason of the only file of an upload. */
function reasonOf(fault: unknown): string | undefined {
  const details = fault instanceof TurnpikeError ? fault.details : undefined;
  const errors = isPlainObject(details) ? details['attachmentErrors'] : undefined;
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  const reason = isPlainObject(first) ? first['reason'] : undefined;
  return typeof reason === 'string' ? reason : undefined;
}
