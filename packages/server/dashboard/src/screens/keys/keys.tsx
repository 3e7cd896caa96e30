/** API keys, and the ids of projects that calls with them need. */
import type { ApiKey } from '@docyard/api';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useNow } from '../../parts/time.tsx';
import { CreateKeyDialog } from './create-key.tsx';
import { keyState } from './key-state.ts';
import { KeyTable } from './key-table.tsx';
import './keys.css';
import { ProjectIds } from './project-ids.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RollKeyDialog } from './roll-key.tsx';

export function Keys() {
  const mayRead = useMay('keys:read');
  const mayWrite = useMay('keys:write');
  const [search, setSearch] = useSearchParams();
  const openNew = () => setSearch((before) => new URLSearchParams([...before, ['new', '1']]));
  if (!mayRead)
    return (
      <Page title="API keys">
        <Panel>
          <Empty icon="key" title="Keys are shown to members">
            Ask an owner or an admin for another role, or for a key.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page
      title="API keys"
      lead="Programs call the API with a key. Give each of them its own, with no more rights than it needs."
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={openNew}>
            Create key
          </Button>
        )
      }
    >
      <ProjectIds />
      <KeyList mayWrite={mayWrite} />
      <ApiCall operation="listKeys" command="docyard keys list" />
      {mayWrite && search.get('new') === '1' && <CreateKeyDialog onClose={() => setSearch(withoutDraft)} />}
    </Page>
  );
}

const shown = ['all', 'working', 'ended'] as const;
type Shown = (typeof shown)[number];

function KeyList({ mayWrite }: { mayWrite: boolean }) {
  const [search, setSearch] = useSearchParams();
  const show = shown.find((each) => each === search.get('show')) ?? 'all';
  const list = useList(['keys'], (cursor) =>
    client.call('listKeys', { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  const nowMs = useNow(30_000);
  const [rolling, setRolling] = useState<ApiKey>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const rows = list.rows?.filter((key) => isShown(keyState(key, nowMs).works, show));
  return (
    <Panel
      title="Keys"
      flush
      aside={
        <Segments
          label="Which keys"
          value={show}
          onChange={(value) => setSearch((before) => withShown(before, value), { replace: true })}
          segments={[
            { value: 'all', label: 'All' },
            { value: 'working', label: 'Working' },
            { value: 'ended', label: 'Ended' },
          ]}
        />
      }
    >
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && rows === undefined && <Waiting lines={6} />}
      {rows !== undefined && rows.length === 0 && !list.more.hasMore && <NoKeys show={show} />}
      {rows !== undefined && (rows.length > 0 || list.more.hasMore) && (
        <KeyTable
          rows={rows}
          more={list.more}
          nowMs={nowMs}
          {...(mayWrite ? { roll: setRolling, revoke: setRevoking } : {})}
        />
      )}
      {!mayWrite && <p className="panel-foot">Owners and admins create, roll and revoke keys.</p>}
      {rolling !== undefined && <RollKeyDialog apiKey={rolling} onClose={() => setRolling(undefined)} />}
      {revoking !== undefined && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Panel>
  );
}

function NoKeys({ show }: { show: Shown }) {
  if (show === 'ended')
    return (
      <Empty icon="key" title="No key has ended">
        Revoked and expired keys are listed here, so that it stays clear what they were for.
      </Empty>
    );
  return (
    <Empty icon="key" title="No keys yet">
      <p>Create one above, or on the machine of the server:</p>
      <CodeBlock text="docyard keys create --name ci" label="command" />
    </Empty>
  );
}

function isShown(works: boolean, show: Shown): boolean {
  return show === 'all' || works === (show === 'working');
}

function withShown(search: URLSearchParams, show: Shown): URLSearchParams {
  const next = new URLSearchParams(search);
  if (show === 'all') next.delete('show');
  else next.set('show', show);
  return next;
}

function withoutDraft(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of ['new', 'name', 'project', 'scopes', 'expires', 'addresses']) next.delete(name);
  return next;
}
