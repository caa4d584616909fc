import type { ReactNode } from 'react';

/** Classes of a column that is there from a width of the page on. */
export const shownFrom = {
  sm: 'max-sm:hidden',
  md: 'max-md:hidden',
  lg: 'max-lg:hidden',
  xl: 'max-xl:hidden',
  '2xl': 'max-2xl:hidden',
} as const;

/** The title of a column; empty: none. */
export type Head = string | { title: string; from: keyof typeof shownFrom };

/** A table in a frame, which scrolls where the page is too narrow. */
export function Table({
  label,
  heads,
  cell = 'px-4 py-2',
  className = 'text-sm',
  children,
}: {
  label: string;
  heads: readonly Head[];
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
            {heads.map((head) => {
              const { title, from } = typeof head === 'string' ? { title: head } : head;
              const look = from === undefined ? '' : shownFrom[from];
              return title === '' ? (
                <td key={title} className={look} />
              ) : (
                <th
                  key={title}
                  scope="col"
                  className={`${cell} ${look} font-medium whitespace-nowrap`}
                >
                  {title}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
