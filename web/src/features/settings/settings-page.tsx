import { useModels } from '../../api/queries.js';
import { Check, RotateCcw } from '../../components/icons.js';
import { useEffect, useMemo } from 'react';
import { forgetKey, apiKey, keyRequest } from '../../api/api-key.js';
import { client, reportFault } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Loading, Page, Section } from '../../components/page.js';
import { subscribeToTabs, publishToTabs } from '../../api/tabs.js';
import { useValue } from '../../hooks/value-store.js';
import { Button } from '../../components/button.js';
import { Spinner } from '../../components/spinner.js';
import { TooltipProvider } from '../../components/tooltip.js';
import { SettingField, type EnteredSetting } from './setting-field.js';
import { limitLooks, modelLooks, type SettingLook } from './setting-looks.js';
import { UserSettings, type SettingsServer, type SettingsState } from './user-settings.js';

/** The user's preferences: limits and models of their turns. */
export function SettingsPage() {
  const settings = useSettings();
  const models = useModels();
  const state = useValue(settings.state);
  const { saved, fault } = state;
  const section = (title: string, looks: Readonly<Record<string, SettingLook>>) => (
    <Section title={title} className="mb-8">
      <div className="divide-y divide-line rounded-xl border border-line bg-panel">
        {enteredOf(state, looks).map((entered) => {
          const { name } = entered.setting;
          const look = looks[name];
          return look === undefined ? null : (
            <SettingField
              key={name}
              entered={entered}
              look={look}
              models={models}
              onChange={(value) =>
                value === undefined ? void settings.reset([name]) : settings.set(name, value)
              }
            />
          );
        })}
      </div>
    </Section>
  );
  return (
    <Page
      title="Settings"
      lead="Limits and models of your turns from now on, unless a session or an agent sets others. Changes are saved as you make them."
      actions={
        <div className="flex flex-row-reverse items-center gap-3 sm:flex-row">
          <SaveState status={state.status} />
          <Button onClick={() => void settings.reset()} disabled={saved === undefined}>
            <RotateCcw aria-hidden size={14} /> Reset all
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
        <TooltipProvider delayDuration={300}>
          {section('Limits of a turn', limitLooks)}
          {section('Models', modelLooks)}
        </TooltipProvider>
      )}
      <KeySection />
    </Page>
  );
}

/** The settings of a section, in its order. */
function enteredOf(
  { saved = [], drafts, problems }: SettingsState,
  looks: Readonly<Record<string, SettingLook>>,
): EnteredSetting[] {
  return Object.keys(looks).flatMap((name) => {
    const setting = saved.find((one) => one.name === name);
    if (setting === undefined) return [];
    return [
      { setting, value: drafts[name] ?? setting.saved ?? undefined, problem: problems[name] },
    ];
  });
}

/** The settings over the API; each change returns the values in force after it. */
const settingsServer: SettingsServer = {
  get: () => client().settings.effective(),
  update: async (change) => {
    await client().settings.updateAll(change);
    return client().settings.effective();
  },
  reset: async (names) => {
    await client().settings.resetAll(names);
    return client().settings.effective();
  },
};

function useSettings(): UserSettings {
  const key = useValue(apiKey);
  const settings = useMemo(
    () => new UserSettings(settingsServer, () => publishToTabs({ type: 'settings' })),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a different key has different settings.
    [key],
  );
  useEffect(() => {
    void settings.load();
    const stopListening = subscribeToTabs(({ type }) => {
      if (type === 'settings' && settings.state.get().status !== 'unsaved') void settings.load();
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
  useEffect(() => void reportFault(fault), [fault]);
  return settings;
}

function SaveState({ status }: Pick<SettingsState, 'status'>) {
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs text-muted">
      {(status === 'saving' || status === 'unsaved') && (
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
    <Section title="API key" className="">
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-panel px-4 py-3 text-sm">
        <span className="text-muted">
          {key === undefined
            ? 'No key is set. This server needs none, or asks for one.'
            : `Requests are sent with the key ${key.slice(0, 8)}…`}
        </span>
        {key === undefined ? (
          <Button onClick={() => keyRequest.set('requested')}>Enter a key</Button>
        ) : (
          <span className="flex gap-2">
            <Button onClick={() => keyRequest.set('requested')}>Change key</Button>
            <Button onClick={forgetKey}>Remove key</Button>
          </span>
        )}
      </div>
    </Section>
  );
}
