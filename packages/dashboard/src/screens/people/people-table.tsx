/** Everybody in the organization, whether they have come yet, and when they were last here. */
import type { Person } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, problemOf } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { Badge } from '../../parts/note.tsx';
import { Table, type Column, type MoreRows } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { mayChange, nameOf, roleNames, statusTones } from './roles.ts';

interface PeopleTableProps {
  rows: Person[];
  more: MoreRows;
  /** Left out for whoever may only look. */
  act?: (person: Person, action: 'role' | 'disable' | 'remove') => void;
  invite?: (person: Person) => void;
}

export function PeopleTable({ rows, more, act, invite }: PeopleTableProps) {
  const me = useSession();
  const enable = useEnable();
  const columns: Column<Person>[] = [
    { name: 'Person', width: 'minmax(0, 2fr)', cell: (person) => <Who person={person} /> },
    { name: 'Role', width: '6rem', cell: ({ role }) => roleNames[role] },
    {
      name: 'Status',
      width: '7rem',
      cell: ({ status }) => <Badge tone={statusTones[status]}>{status}</Badge>,
    },
    { name: 'Signs in with', width: '9rem', cell: (person) => wayIn(person) },
    {
      name: 'Last seen',
      width: '8rem',
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? <span className="faint">never</span> : <Ago at={lastSeenAt} />,
    },
  ];
  const actionsFor = (person: Person): (MenuItem | 'line')[] => [
    { label: 'Change role', icon: 'shield', act: () => act?.(person, 'role') },
    ...(person.status === 'invited'
      ? [{ label: 'New invitation link', icon: 'repeat', act: () => invite?.(person) } as const]
      : []),
    person.status === 'disabled'
      ? { label: 'Let in again', icon: 'play', act: () => enable(person) }
      : { label: 'Disable', icon: 'stop', act: () => act?.(person, 'disable') },
    'line',
    { label: 'Remove', icon: 'trash', danger: true, act: () => act?.(person, 'remove') },
  ];
  if (act !== undefined)
    columns.push({
      name: 'Actions',
      width: '2rem',
      quiet: true,
      cell: (person) =>
        mayChange(me, person) && (
          <Menu
            name={`Actions for ${nameOf(person)}`}
            className="icon-button"
            label={<Icon name="more" />}
            items={actionsFor(person)}
          />
        ),
    });
  return <Table label="People" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />;
}

function Who({ person }: { person: Person }) {
  const me = useSession();
  return (
    <span className="who">
      <span className="person-initial" aria-hidden="true">
        {nameOf(person).slice(0, 1).toUpperCase()}
      </span>
      <span className="who-lines">
        <strong>
          {nameOf(person)}
          {person.id === me.person?.id && <span className="faint"> (you)</span>}
        </strong>
        {person.name !== '' && <span className="faint">{person.email}</span>}
      </span>
    </span>
  );
}

function wayIn({ signsInWith }: Person) {
  if (signsInWith === null) return <span className="faint">not yet</span>;
  return signsInWith === 'password' ? 'Password' : 'Identity provider';
}

/** Needs no question: whoever should stay out is disabled again in the same place. */
function useEnable(): (person: Person) => void {
  const queries = useQueryClient();
  const toast = useToast();
  const enable = useMutation({
    mutationFn: (person: Person) =>
      client.call('updatePerson', { params: { personId: person.id }, body: { disabled: false } }),
    onSuccess: (person) => toast(`${nameOf(person)} can sign in again`),
    onError: (error) => toast(problemOf(error).message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] }),
  });
  return (person) => enable.mutate(person);
}
