/** Who can sign in, and what they may do. */
import type { Person } from '@docyard/api';
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
import { ChangeRoleDialog, DisablePerson, RemovePerson } from './change-person.tsx';
import { InviteDialog, type Invited } from './invite.tsx';
import './people.css';
import { PeopleTable } from './people-table.tsx';

export function People() {
  const mayRead = useMay('people:read');
  const mayWrite = useMay('people:write');
  const [search, setSearch] = useSearchParams();
  const invite = (to: Partial<Invited> = {}) => setSearch({ new: '1', ...to });
  return (
    <Page
      title="People"
      lead="Everybody signs in as themselves: the audit log names them, and their role says what they may do."
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
        <PeopleList mayWrite={mayWrite} invite={invite} />
      ) : (
        <Panel title="Others">
          <p className="soft">Members, admins and owners see who else is here.</p>
        </Panel>
      )}
      <ApiCall operation="listPeople" command="docyard users list" />
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

function PeopleList({ mayWrite, invite }: { mayWrite: boolean; invite: (to: Invited) => void }) {
  const query = useListQuery(orders);
  const list = useList(['people', query], (cursor) =>
    client.call('listPeople', {
      query: { ...query, limit: 100, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  const [chosen, setChosen] = useState<{ person: Person; action: Action }>();
  const onClose = () => setChosen(undefined);
  return (
    <Panel title="Everybody" flush>
      <div className="panel-inside">
        <ListControls label="people" placeholder="Search by name or email" choices={orders} />
      </div>
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && list.rows === undefined && <Waiting lines={4} />}
      {list.rows?.length === 0 && (
        <Empty icon="search" title="No person matches">
          No person has these words in their name or email.
        </Empty>
      )}
      {list.rows !== undefined && list.rows.length > 0 && (
        <PeopleTable
          rows={list.rows}
          more={list.more}
          {...(mayWrite
            ? {
                act: (person: Person, action: Action) => setChosen({ person, action }),
                invite: ({ email, role }: Person) => invite({ email, role }),
              }
            : {})}
        />
      )}
      {!mayWrite && <p className="panel-foot">Owners and admins invite people and change roles.</p>}
      {chosen?.action === 'role' && <ChangeRoleDialog person={chosen.person} onClose={onClose} />}
      {chosen?.action === 'disable' && <DisablePerson person={chosen.person} onClose={onClose} />}
      {chosen?.action === 'remove' && <RemovePerson person={chosen.person} onClose={onClose} />}
    </Panel>
  );
}
