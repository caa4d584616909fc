import { Check, RotateCcw } from '../ui/icons.js';
import { useEffect, useMemo } from 'react';
import { agentConfigFields, type AgentConfig } from '../../../src/governance/agent-config.js';
import { forgetKey, apiKey, keyWanted } from '../app/api-key.js';
import { client, noteFault } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { Loading, Page } from '../app/page.js';
import { onTabNews, tellTabs } from '../app/tabs.js';
import { useValue } from '../app/use-value.js';
import { Button } from '../ui/button.js';
import { Spinner } from '../ui/spinner.js';
import { AgentSettings, type SettingName, type SettingsState } from './agent-settings.js';
import { SettingField, type FieldLook } from './setting-field.js';

const looks: Record<keyof AgentConfig, FieldLook> = {
  maxIterations: { label: 'Iterations', step: 1, unit: '' },
  softWarningPercent: { label: 'Warn at', step: 5, unit: '%' },
  tokenBudget: { label: 'Token budget', step: 1_000, unit: 'tokens' },
  tokenWarningPercent: { label: 'Warn about tokens at', step: 5, unit: '%' },
  timeoutSeconds: { label: 'Time', step: 10, unit: 's' },
  maxToolCallsPerTurn: { label: 'Tool calls of an iteration', step: 1, unit: '' },
  maxParallelTools: { label: 'Tools at a time', step: 1, unit: '' },
};

/** The limits of the user's turns. */
export function SettingsPage() {
  const settings = useSettings();
  const state = useValue(settings.state);
  const { saved, drafts, problems, fault } = state;
  return (
    <Page
      title="Settings"
      lead="Limits of your turns, from the next one on. They are saved as you change them."
      actions={
        <div className="flex items-center gap-3">
          <SaveState status={state.status} />
          <Button onClick={() => void settings.reset()} disabled={saved === undefined}>
            <RotateCcw aria-hidden size={14} /> Reset
          </Button>
        </div>
      }
    >
      {fault !== undefined && (
        <FaultNote
          fault={fault}
          onRetry={() => void (saved === undefined ? settings.load() : settings.save())}
        />
      )}
      {saved === undefined && fault === undefined && <Loading what="settings" />}
      {saved !== undefined && (
        <div className="divide-y divide-line rounded-xl border border-line bg-panel">
          {agentConfigFields.map((field) => {
            const name = field.wireName as SettingName;
            return (
              <SettingField
                key={name}
                field={field}
                look={looks[field.name]}
                value={drafts[name] ?? saved[name]}
                problem={problems[name]}
                onChange={(value) => settings.set(name, value)}
              />
            );
          })}
        </div>
      )}
      <KeySection />
    </Page>
  );
}

function useSettings(): AgentSettings {
  const key = useValue(apiKey);
  const settings = useMemo(
    () => new AgentSettings(client().settings, () => tellTabs({ type: 'settings' })),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- another key has other settings.
    [key],
  );
  useEffect(() => {
    void settings.load();
    const stopListening = onTabNews(({ type }) => {
      if (type === 'settings' && settings.state.get().status !== 'waiting') void settings.load();
    });
    const onHide = (): void => settings.close();
    addEventListener('pagehide', onHide);
    return () => {
      stopListening();
      removeEventListener('pagehide', onHide);
      settings.close();
    };
  }, [settings]);
  const { fault } = useValue(settings.state);
  useEffect(() => void noteFault(fault), [fault]);
  return settings;
}

function SaveState({ status }: Pick<SettingsState, 'status'>) {
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs text-muted">
      {(status === 'saving' || status === 'waiting') && (
        <>
          <Spinner size={13} /> Saving
        </>
      )}
      {status === 'saved' && (
        <>
          <Check aria-hidden size={14} className="text-good" /> Saved
        </>
      )}
      {status === 'failed' && <span className="text-bad">Not saved</span>}
    </span>
  );
}

function KeySection() {
  const key = useValue(apiKey);
  return (
    <section className="mt-8">
      <h2 className="mb-2 text-sm font-semibold">API key</h2>
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-panel px-4 py-3 text-sm">
        <span className="text-muted">
          {key === undefined
            ? 'None: requests go out without a key.'
            : `Requests go out with ${key.slice(0, 8)}…`}
        </span>
        {key === undefined ? (
          <Button onClick={() => keyWanted.set('Requests of this page will be sent with it.')}>
            Enter a key
          </Button>
        ) : (
          <Button onClick={forgetKey}>Forget it</Button>
        )}
      </div>
    </section>
  );
}
