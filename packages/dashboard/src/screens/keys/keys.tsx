import type { ApiKey } from '@docyard/api';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { ListControls, useListQuery, type SortChoices } from '../../parts/list-controls.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useNow } from '../../parts/time.tsx';
import { CreateKeyDialog } from './create-key.tsx';
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
          <Empty icon="key" title="You have no access to API keys">
            Ask an owner or an admin for another role, or for a key.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page
      title="API keys"
      lead="Programs call the API with a key. Use one key per program with the permissions it needs."
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={openNew}>
            Create key
          </Button>
        )
      }
    >
      <KeyList mayWrite={mayWrite} />
      <ProjectIds />
      <ApiCall operation="listKeys" command="docyard keys list" />
      {mayWrite && search.get('new') === '1' && <CreateKeyDialog onClose={() => setSearch(withoutDraft)} />}
    </Page>
  );
}

const orders: SortChoices<'-createdAt' | 'name' | '-lastUsedAt' | 'expiresAt'> = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'name', label: 'By name' },
  { value: '-lastUsedAt', label: 'Last used first' },
  { value: 'expiresAt', label: 'Expiring first' },
];

const shown = ['all', 'working', 'ended'] as const;
type Shown = (typeof shown)[number];

function KeyList({ mayWrite }: { mayWrite: boolean }) {
  const [search, setSearch] = useSearchParams();
  const show = shown.find((each) => each === search.get('show')) ?? 'all';
  const listed = useListQuery(orders);
  const query = { ...listed, ...statusQuery(show) };
  const list = useList(['keys', query], (cursor) =>
    client.call('listKeys', { query: { ...query, limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  const nowMs = useNow(30_000);
  const [rolling, setRolling] = useState<ApiKey>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const { rows } = list;
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
      <div className="panel-inside">
        <ListControls label="keys" placeholder="Search by name, id or last characters" choices={orders} />
      </div>
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && rows === undefined && <Waiting lines={6} />}
      {rows?.length === 0 && <NoKeys show={show} isSearched={listed.q !== undefined} />}
      {rows !== undefined && rows.length > 0 && (
        <KeyTable
          rows={rows}
          more={list.more}
          nowMs={nowMs}
          {...(mayWrite ? { roll: setRolling, revoke: setRevoking } : {})}
        />
      )}
      {!mayWrite && <p className="panel-foot">Owners and admins can create, roll and revoke keys.</p>}
      {rolling !== undefined && <RollKeyDialog apiKey={rolling} onClose={() => setRolling(undefined)} />}
      {revoking !== undefined && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Panel>
  );
}

function NoKeys({ show, isSearched }: { show: Shown; isSearched: boolean }) {
  if (isSearched)
    return (
      <Empty icon="search" title="No key matches">
        No key matches in name, id or last characters.
      </Empty>
    );
  if (show === 'ended')
    return (
      <Empty icon="key" title="No ended keys">
        Revoked and expired keys are listed here.
      </Empty>
    );
  return (
    <Empty icon="key" title="No keys yet">
      <p>Create a key above, or on the server:</p>
      <CodeBlock text="docyard keys create --name ci" label="command" />
    </Empty>
  );
}

function statusQuery(show: Shown): { status?: 'active' | 'ended' } {
  if (show === 'all') return {};
  return { status: show === 'working' ? 'active' : 'ended' };
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
