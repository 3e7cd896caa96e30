import type { User } from '@docyard/api';
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

interface UsersTableProps {
  rows: User[];
  more: MoreRows;
  /** Omitted for users without write permission. */
  act?: (user: User, action: 'role' | 'disable' | 'remove') => void;
  invite?: (user: User) => void;
}

export function UsersTable({ rows, more, act, invite }: UsersTableProps) {
  const me = useSession();
  const enable = useEnable();
  const columns: Column<User>[] = [
    { name: 'User', width: 'minmax(0, 2fr)', cell: (user) => <Who user={user} /> },
    { name: 'Role', width: '6rem', cell: ({ role }) => roleNames[role] },
    {
      name: 'Status',
      width: '7rem',
      cell: ({ status }) => <Badge tone={statusTones[status]}>{status}</Badge>,
    },
    { name: 'Signs in with', width: '9rem', cell: (user) => wayIn(user) },
    {
      name: 'Last seen',
      width: '8rem',
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? <span className="faint">never</span> : <Ago at={lastSeenAt} />,
    },
  ];
  const actionsFor = (user: User): (MenuItem | 'line')[] => [
    { label: 'Change role', icon: 'shield', act: () => act?.(user, 'role') },
    ...(user.status === 'invited'
      ? [{ label: 'New invitation link', icon: 'repeat', act: () => invite?.(user) } as const]
      : []),
    user.status === 'disabled'
      ? { label: 'Enable', icon: 'play', act: () => enable(user) }
      : { label: 'Disable', icon: 'stop', act: () => act?.(user, 'disable') },
    'line',
    { label: 'Remove', icon: 'trash', danger: true, act: () => act?.(user, 'remove') },
  ];
  if (act !== undefined)
    columns.push({
      name: 'Actions',
      width: '2rem',
      quiet: true,
      cell: (user) =>
        mayChange(me, user) && (
          <Menu
            name={`Actions for ${nameOf(user)}`}
            className="icon-button"
            label={<Icon name="more" />}
            items={actionsFor(user)}
          />
        ),
    });
  return <Table label="Users" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />;
}

function Who({ user }: { user: User }) {
  const me = useSession();
  return (
    <span className="who">
      <span className="user-initial" aria-hidden="true">
        {nameOf(user).slice(0, 1).toUpperCase()}
      </span>
      <span className="who-lines">
        <strong>
          {nameOf(user)}
          {user.id === me.person?.id && <span className="faint"> (you)</span>}
        </strong>
        {user.name !== '' && <span className="faint">{user.email}</span>}
      </span>
    </span>
  );
}

function wayIn({ signsInWith }: User) {
  if (signsInWith === null) return <span className="faint">not yet</span>;
  return signsInWith === 'password' ? 'Password' : 'Identity provider';
}

function useEnable(): (user: User) => void {
  const queries = useQueryClient();
  const toast = useToast();
  const enable = useMutation({
    mutationFn: (user: User) =>
      client.call('updateUser', { params: { userId: user.id }, body: { disabled: false } }),
    onSuccess: (user) => toast(`${nameOf(user)} can sign in again`),
    onError: (error) => toast(problemOf(error).message),
    onSettled: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  return (user) => enable.mutate(user);
}
