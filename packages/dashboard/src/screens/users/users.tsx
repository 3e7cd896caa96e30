import type { User } from '@docyard/api';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ListControls, useListQuery, type SortChoices } from '../../parts/list-controls.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Account } from './account.tsx';
import { ChangeRoleDialog, DisableUserDialog, RemoveUserDialog } from './change-user.tsx';
import { InviteDialog, type Invited } from './invite.tsx';
import './users.css';
import { UsersTable } from './users-table.tsx';

export function Users() {
  const mayRead = useMay('users:read');
  const mayWrite = useMay('users:write');
  const [search, setSearch] = useSearchParams();
  const invite = (to: Partial<Invited> = {}) => setSearch({ new: '1', ...to });
  return (
    <Page
      title="Users"
      lead="Each user signs in with their own account. The role determines their permissions."
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => invite()}>
            Invite
          </Button>
        )
      }
    >
      <Account />
      {mayRead ? (
        <UsersList mayWrite={mayWrite} invite={invite} />
      ) : (
        <Panel title="Other users">
          <p className="soft">Members, admins and owners can see the other users.</p>
        </Panel>
      )}
      <ApiCall operation="listUsers" command="docyard users list" />
      {mayWrite && search.get('new') === '1' && (
        <InviteDialog onClose={() => setSearch({}, { replace: true })} />
      )}
    </Page>
  );
}

const orders: SortChoices<'-createdAt' | 'name' | 'email' | '-lastSeenAt'> = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'name', label: 'By name' },
  { value: 'email', label: 'By email' },
  { value: '-lastSeenAt', label: 'Last seen first' },
];

type Action = 'role' | 'disable' | 'remove';

function UsersList({ mayWrite, invite }: { mayWrite: boolean; invite: (to: Invited) => void }) {
  const query = useListQuery(orders);
  const list = useList(['users', query], (cursor) =>
    client.call('listUsers', {
      query: { ...query, limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  const [chosen, setChosen] = useState<{ user: User; action: Action }>();
  const onClose = () => setChosen(undefined);
  return (
    <Panel title="All users" flush>
      <div className="panel-inside">
        <ListControls label="users" placeholder="Search by name or email" choices={orders} />
      </div>
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && list.rows === undefined && <Waiting lines={4} />}
      {list.rows?.length === 0 && (
        <Empty icon="search" title="No user matches">
          No user matches in name or email.
        </Empty>
      )}
      {list.rows !== undefined && list.rows.length > 0 && (
        <UsersTable
          rows={list.rows}
          more={list.more}
          {...(mayWrite
            ? {
                act: (user: User, action: Action) => setChosen({ user, action }),
                invite: ({ email, role }: User) => invite({ email, role }),
              }
            : {})}
        />
      )}
      {!mayWrite && <p className="panel-foot">Owners and admins can invite users and change roles.</p>}
      {chosen?.action === 'role' && <ChangeRoleDialog user={chosen.user} onClose={onClose} />}
      {chosen?.action === 'disable' && <DisableUserDialog user={chosen.user} onClose={onClose} />}
      {chosen?.action === 'remove' && <RemoveUserDialog user={chosen.user} onClose={onClose} />}
    </Panel>
  );
}
