/** The URL that a forge calls, and its secret. */
import type { ProjectHook } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Badge } from '../../parts/note.tsx';
import { Facts, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { HookSecretDialog } from './hook-secret.tsx';

interface HookPanelProps {
  projectId: string;
  mayWrite: boolean;
}

export function HookPanel({ projectId, mayWrite }: HookPanelProps) {
  const params = { projectId };
  const hook = useQuery({
    queryKey: ['project', projectId, 'hook'],
    queryFn: () => client.call('readProjectHook', { params }),
    refetchInterval: 10_000,
  });
  return (
    <Panel title="Hook" aside={hook.data && <HookBadge hook={hook.data} />}>
      <p className="soft">
        Add a webhook with this URL and secret at your forge.{' '}
        <a href="/docs/guides/publish-on-push">How to add it at each forge</a>
      </p>
      {hook.error !== null && hook.data === undefined && (
        <Problem error={hook.error} retry={() => void hook.refetch()} />
      )}
      {hook.isPending && <Waiting lines={4} />}
      {hook.data !== undefined && (
        <>
          <div>
            <CopyField text={hook.data.url} label="URL of the hook" />
          </div>
          <Facts facts={factsOf(hook.data)} />
          {mayWrite && <Actions projectId={projectId} hook={hook.data} />}
        </>
      )}
      <ApiCall
        operation="readProjectHook"
        params={params}
        command={`docyard events hook --project ${projectId}`}
      />
    </Panel>
  );
}

function HookBadge({ hook: { enabled, lastEventAt } }: { hook: ProjectHook }) {
  if (!enabled) return <Badge tone="quiet">Off</Badge>;
  return lastEventAt === null ? <Badge tone="info">No event yet</Badge> : <Badge tone="good">On</Badge>;
}

function factsOf({ secretCreatedAt, oldSecretValidUntil, lastEventAt }: ProjectHook): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [
    ['Secret', secretCreatedAt === null ? 'None. Every event is refused.' : <Created at={secretCreatedAt} />],
    ['Last event', lastEventAt === null ? 'None' : <Ago at={lastEventAt} />],
  ];
  if (oldSecretValidUntil !== null) facts.splice(1, 0, ['Old secret ends', <Ago at={oldSecretValidUntil} />]);
  return facts;
}

function Created({ at }: { at: string }) {
  return (
    <>
      Created <Ago at={at} />
    </>
  );
}

function Actions({ projectId, hook }: { projectId: string; hook: ProjectHook }) {
  const [open, setOpen] = useState<'secret' | 'disable'>();
  return (
    <div className="project-actions">
      <Button look={hook.enabled ? 'plain' : 'primary'} icon="key" onClick={() => setOpen('secret')}>
        {hook.enabled ? 'Replace the secret' : 'Create a secret'}
      </Button>
      {hook.enabled && (
        <Button icon="stop" onClick={() => setOpen('disable')}>
          Disable
        </Button>
      )}
      {open === 'secret' && (
        <HookSecretDialog projectId={projectId} isFirst={!hook.enabled} onClose={() => setOpen(undefined)} />
      )}
      <DisableHook projectId={projectId} open={open === 'disable'} onClose={() => setOpen(undefined)} />
    </div>
  );
}

function DisableHook(props: { projectId: string; open: boolean; onClose: () => void }) {
  const { projectId, open, onClose } = props;
  const queries = useQueryClient();
  const toast = useToast();
  const disable = useMutation({
    mutationFn: () => client.call('disableProjectHook', { params: { projectId } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['project', projectId, 'hook'] });
      toast('The hook is disabled.');
      onClose();
    },
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title="Disable the hook?"
      action="Disable the hook"
      act={() => disable.mutate()}
      busy={disable.isPending}
      error={disable.error}
    >
      Its secret is deleted, and every event of the forge is refused. To enable the hook again, create a
      secret and enter it at the forge.
    </Confirm>
  );
}
