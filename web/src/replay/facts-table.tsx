import type { TurnComparison } from '../../../src/client/turnpike-client.js';
import { Table } from '../ui/table.js';
import { compareFacts, type sideNames } from './compared-facts.js';

export type SideNames = ReturnType<typeof sideNames>;

const cell = 'px-2.5 py-1.5 [overflow-wrap:anywhere] sm:px-4';

/** Outcome, cost, usage and times of two turns, with the differences. */
export function FactsTable({
  comparison,
  names,
}: {
  comparison: TurnComparison;
  names: SideNames;
}) {
  return (
    <div className="mb-6">
      <Table
        label="Facts"
        heads={['', names.left, names.right, 'Difference']}
        cell="px-2.5 py-2 sm:px-4"
        className="text-xs tabular-nums sm:text-sm"
      >
        {compareFacts(comparison).map(({ label, left, right, difference }) => (
          <tr key={label} className="border-t border-line first:border-t-0">
            <th scope="row" className="px-2.5 py-1.5 text-xs font-normal text-muted sm:px-4">
              {label}
            </th>
            <td className={cell}>{left}</td>
            <td className={cell}>{right}</td>
            <td
              className={`${cell} sm:whitespace-nowrap ${difference === 'same' ? 'text-muted' : 'font-medium'}`}
            >
              {difference}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
