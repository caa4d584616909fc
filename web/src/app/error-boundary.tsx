import { Component, type ReactNode } from 'react';
import { isLoadFault } from './describe-fault.js';
import { FaultNote } from './fault-note.js';

/** Shows a fault in place of a page that cannot be rendered; the other pages work. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { fault: unknown }> {
  override state = { fault: undefined as unknown };

  static getDerivedStateFromError(fault: unknown) {
    return { fault };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <main id="main" className="p-4 sm:p-8">
        <FaultNote
          fault={fault}
          onRetry={() =>
            isLoadFault(fault) ? location.reload() : this.setState({ fault: undefined })
          }
        />
      </main>
    );
  }
}
