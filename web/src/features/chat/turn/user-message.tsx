import { FileChip } from '../composer/file-chip.js';
import type { ChatTurn } from '../conversation/turn-view.js';

/** The message of a turn, with its files. */
export function UserMessage({ user: { text, files } }: Pick<ChatTurn, 'user'>) {
  if (text === '' && files.length === 0) return null;
  return (
    <div className="mb-3 flex flex-col items-end gap-2 pl-8 sm:pl-16">
      <h2 className="sr-only">You</h2>
      {files.length > 0 && (
        <ul className="flex max-w-full flex-wrap justify-end gap-2">
          {files.map((file, index) => (
            <li key={index} className="max-w-full">
              <FileChip file={file} />
            </li>
          ))}
        </ul>
      )}
      {text !== '' && (
        <p className="max-w-full rounded-2xl rounded-br-md bg-accent-wash px-3.5 py-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {text}
        </p>
      )}
    </div>
  );
}
