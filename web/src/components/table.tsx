import type { ReactNode } from 'react';

/** A table in a frame, which scrolls where the page is too narrow. */
export function Table({
  label,
  heads,
  cell = 'px-4 py-2',
  className = 'text-sm',
  children,
}: {
  label: string;
  /** Titles of the columns; empty: none. */
  heads: readonly string[];
  /** The space around a title. */
  cell?: string;
  /** Looks of the texts. */
  className?: string;
  /** The rows. */
  children: ReactNode;
}) {
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line bg-panel"
    >
      <table className={`w-full text-left ${className}`}>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            {heads.map((head) =>
              head === '' ? (
                <td key={head} />
              ) : (
                <th key={head} scope="col" className={`${cell} font-medium whitespace-nowrap`}>
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
