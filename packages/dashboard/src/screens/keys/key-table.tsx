import type { ApiKey } from '@docyard/api';
import { Link } from 'wouter';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge } from '../../parts/note.tsx';
import { Table, type Column, type MoreRows } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useProjectNames } from '../projects/use-projects.ts';
import { wordsOf } from './access.ts';
import { isInUse, keyState } from './key-state.ts';

interface KeyTableProps {
  rows: ApiKey[];
  more: MoreRows;
  nowMs: number;
  /** Omitted for users without write permission. */
  roll?: (key: ApiKey) => void;
  revoke?: (key: ApiKey) => void;
}

export function KeyTable({ rows, more, nowMs, roll, revoke }: KeyTableProps) {
  const projectNames = useProjectNames(rows.flatMap(({ projectId }) => projectId ?? []));
  const columns: Column<ApiKey>[] = [
    { name: 'Key', width: 'minmax(0, 1.5fr)', cell: (key) => <Name apiKey={key} nowMs={nowMs} /> },
    {
      name: 'Rights',
      width: 'minmax(0, 1.4fr)',
      cell: (key) => <Rights apiKey={key} projectNames={projectNames} />,
    },
    { name: 'Created', width: '7rem', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { name: 'Last used', width: '8rem', cell: (key) => <LastUse apiKey={key} nowMs={nowMs} /> },
    { name: 'State', width: '11rem', cell: (key) => <State apiKey={key} nowMs={nowMs} /> },
  ];
  if (roll !== undefined && revoke !== undefined)
    columns.push({
      name: 'Actions',
      width: '2rem',
      quiet: true,
      cell: (key) =>
        keyState(key, nowMs).works && (
          <Menu
            name={`Actions for ${key.name}`}
            className="icon-button"
            label={<Icon name="more" />}
            items={[
              { label: 'Roll', icon: 'repeat', act: () => roll(key) },
              { label: 'Revoke', icon: 'stop', danger: true, act: () => revoke(key) },
            ]}
          />
        ),
    });
  return <Table label="API keys" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />;
}

function Name({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const { works } = keyState(apiKey, nowMs);
  const { name, prefix, last4, allowedAddresses } = apiKey;
  return (
    <span className={works ? 'key-name' : 'key-name key-name-ended'}>
      <strong>{name}</strong>
      <span className="mono faint">
        {prefix}…{last4}
      </span>
      {allowedAddresses.length > 0 && <span className="faint">Only from {allowedAddresses.join(', ')}</span>}
    </span>
  );
}

interface RightsProps {
  apiKey: ApiKey;
  projectNames: ReadonlyMap<string, string>;
}

function Rights({ apiKey: { scopes, projectId }, projectNames }: RightsProps) {
  return (
    <span className="rights">
      <Scopes words={wordsOf(scopes)} />
      {projectId !== null && (
        <span className="faint">
          Only in <Link to={`/projects/${projectId}`}>{projectNames.get(projectId) ?? projectId}</Link>
        </span>
      )}
    </span>
  );
}

function Scopes({ words }: { words: string[] }) {
  return (
    <span className="scopes">
      {words.map((word) => (
        <span key={word} className="scope">
          {word}
        </span>
      ))}
    </span>
  );
}

function LastUse({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const look = apiKey.lastUsedAt === null ? 'never' : isInUse(apiKey, nowMs) ? 'recent' : 'past';
  return (
    <span className={`last-use last-use-${look}`}>
      {apiKey.lastUsedAt === null ? 'never' : <Ago at={apiKey.lastUsedAt} />}
    </span>
  );
}

function State({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const { words, tone } = keyState(apiKey, nowMs);
  return <Badge tone={tone}>{words}</Badge>;
}
