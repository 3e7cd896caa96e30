import { auditFormats, type AuditEntry } from '@docyard/api';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { ListControls, useListQuery, type SortChoices } from '../../parts/list-controls.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Facts, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago, exact } from '../../parts/time.tsx';
import { actorName } from './actor-name.ts';
import { ActorPicker } from './actor-picker.tsx';
import { sentenceOf } from './audit-sentences.ts';
import './audit.css';

export function Audit() {
  const mayRead = useMay('audit:read');
  if (mayRead) return <Log />;
  return (
    <Page title="Audit log">
      <Panel>
        <Empty icon="list" title="You have no access to the audit log">
          Ask an owner or an admin for another role.
        </Empty>
      </Panel>
    </Page>
  );
}

function Log() {
  const [search, setSearch] = useSearchParams();
  const filters = useFilters(search);
  const [opened, setOpened] = useState<AuditEntry>();
  const list = useList(['audit', filters], (cursor) =>
    client.call('listAuditLog', {
      query: { ...filters, limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  const columns = useMemo(() => columnsWith(setOpened), []);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Audit log"
      lead="All changes with actor and address. Entries are hash-chained, so a missing entry is detected."
      actions={<Downloads filters={filters} />}
    >
      <ListControls
        label="the audit log"
        placeholder="Search by action, user, key, project, address or details"
        choices={orders}
      />
      <Filters search={search} setSearch={setSearch} shown={list.rows ?? []} />
      <Panel flush>
        {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
        {list.error === null && list.rows === undefined && <Waiting lines={10} />}
        {list.rows?.length === 0 && (
          <Empty
            icon="list"
            title={isFiltered ? 'No matching entries' : 'No entries yet'}
            {...(isFiltered
              ? { action: <Button onClick={() => setSearch({})}>Show everything</Button> }
              : {})}
          >
            {isFiltered ? 'No entry matches these filters.' : 'Changes are listed here.'}
          </Empty>
        )}
        {list.rows !== undefined && list.rows.length > 0 && (
          <Table
            label="Audit log"
            rows={list.rows}
            columns={columns}
            keyOf={({ id }) => id}
            more={list.more}
          />
        )}
      </Panel>
      <ApiCall operation="listAuditLog" query={{ ...filters, limit: 100 }} />
      {opened !== undefined && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

/** A link: the browser streams the file to disk and sends the session cookie. */
function Downloads({ filters }: { filters: Record<string, string> }) {
  return auditFormats.map((format) => (
    <a
      key={format}
      className="button button-plain"
      href={`/v1/audit-log/export?${new URLSearchParams({ ...filters, format }).toString()}`}
      download
    >
      <Icon name="download" />
      {format.toUpperCase()}
      <span className="visually-hidden"> of the audit log</span>
    </a>
  ));
}

const areas = [
  { value: '', label: 'Every area' },
  { value: 'export', label: 'Exports' },
  { value: 'agent', label: 'Agent jobs' },
  { value: 'project', label: 'Projects' },
  { value: 'key', label: 'API keys' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'person', label: 'Users' },
  { value: 'session', label: 'Sign-ins' },
  { value: 'organization', label: 'Organization' },
];

const orders: SortChoices<'-at' | 'at'> = [
  { value: '-at', label: 'Newest first' },
  { value: 'at', label: 'Oldest first' },
];

const ages = [
  { value: '', label: 'Any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];

/** Unknown values in the URL are ignored. */
function useFilters(search: URLSearchParams) {
  const area = search.get('action') ?? '';
  const action = /^[a-z]+(?:\.[a-z_]+)?$/.test(area) ? area : '';
  const actor = search.get('actor') ?? '';
  const object = search.get('object') ?? '';
  const { q, sort } = useListQuery(orders);
  const days = ages.some(({ value }) => value === search.get('days')) ? Number(search.get('days')) : 0;
  return useMemo(
    () => ({
      ...(action === '' ? {} : { action }),
      ...(actor === '' ? {} : { actor }),
      ...(object === '' ? {} : { object }),
      ...(days === 0 ? {} : { since: new Date(Date.now() - days * 86_400_000).toISOString() }),
      ...(q === undefined ? {} : { q }),
      ...(sort === undefined ? {} : { sort }),
    }),
    [action, actor, object, days, q, sort],
  );
}

function Filters(props: {
  search: URLSearchParams;
  setSearch: (next: URLSearchParams) => void;
  shown: readonly AuditEntry[];
}) {
  const { search, setSearch, shown } = props;
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next);
  };
  const chosen = (name: string, choices: { value: string; label: string }[]) => {
    const value = search.get(name) ?? '';
    const isKnown = choices.some((choice) => choice.value === value);
    return { value, choices: isKnown ? choices : [...choices, { value, label: value }] };
  };
  const actor = search.get('actor') ?? '';
  const object = search.get('object');
  return (
    <div className="audit-filters">
      <SelectField
        label="Area"
        quiet
        {...chosen('action', areas)}
        onChange={(value) => set('action', value)}
      />
      <ActorPicker
        value={actor}
        name={shown.find((entry) => entry.actor === actor)?.actorName ?? null}
        onChange={(value) => set('actor', value)}
      />
      <SelectField label="When" quiet {...chosen('days', ages)} onChange={(value) => set('days', value)} />
      {object !== null && (
        <Button look="quiet" icon="close" onClick={() => set('object', '')}>
          Only {object}
        </Button>
      )}
    </div>
  );
}

function columnsWith(open: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { name: 'What happened', width: 'minmax(0, 1fr)', cell: (entry) => <Said entry={entry} /> },
    {
      name: 'From',
      width: '9rem',
      cell: ({ address }) => (address === null ? <span className="faint">the server</span> : address),
    },
    { name: 'When', width: '8rem', align: 'end', cell: ({ at }) => <Ago at={at} /> },
    {
      name: 'Details',
      width: '2rem',
      quiet: true,
      cell: (entry) => <IconButton icon="more" label="Show details" onClick={() => open(entry)} />,
    },
  ];
}

function Said({ entry }: { entry: AuditEntry }) {
  const { verb, object, rest, to } = sentenceOf(entry);
  return (
    <span className="audit-said">
      <Icon name={kindOf(entry.actor)} />
      <span>
        <strong>{actorName({ actor: entry.actor, name: entry.actorName })}</strong> {verb}
        {object !== null && <> {to === null ? <b>{object}</b> : <Link to={to}>{object}</Link>}</>}
        {/^[:,]/.test(rest) ? rest : ` ${rest}`}
      </span>
    </span>
  );
}

function kindOf(actor: string): IconName {
  if (actor.includes('@')) return 'users';
  if (actor.startsWith('key_')) return 'key';
  return actor === 'cli' ? 'code' : 'pulse';
}

function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const [, setSearch] = useSearchParams();
  const { object } = entry;
  return (
    <Dialog open onClose={onClose} title={entry.action} lead={<Said entry={entry} />} wide>
      <Facts
        facts={[
          ['When', exact(entry.at)],
          ['Who', entry.actor],
          ['From', entry.address ?? 'the server itself'],
          ['Request', entry.requestId ?? 'none'],
        ]}
      />
      {object !== null && (
        <div className="field">
          <h3>Done to</h3>
          <span>
            <CopyField text={object} label="id" />
          </span>
        </div>
      )}
      {Object.keys(entry.details).length > 0 && (
        <div className="field">
          <h3>Details</h3>
          <CodeBlock text={JSON.stringify(entry.details, null, 2)} label="details" />
        </div>
      )}
      <div className="field">
        <h3>Hash</h3>
        <CopyField text={entry.hash} label="hash" />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {object !== null && (
          <Button
            icon="list"
            onClick={() => {
              setSearch({ object });
              onClose();
            }}
          >
            All about {object}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
