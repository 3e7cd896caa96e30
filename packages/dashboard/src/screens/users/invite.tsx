/** Creates an invitation link. No mail is sent. */
import type { Invitation, Role } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ChoiceCards } from '../../parts/choice.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Ago } from '../../parts/time.tsx';
import { roleChoices } from './roles.ts';

export type Invited = { email: string; role: Role };

/** `?new=1&email=…&role=…` fills in the form. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const me = useSession();
  const [search] = useSearchParams();
  const choices = roleChoices(me);
  const [form, setForm] = useState<Invited>(() => ({
    email: search.get('email') ?? '',
    role: choices.find(({ value }) => value === search.get('role'))?.value ?? 'member',
  }));
  const queries = useQueryClient();
  const invite = useMutation({
    mutationFn: () => client.call('inviteUser', { body: form }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  if (invite.data !== undefined) return <InvitationShownOnce invitation={invite.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite a user"
      lead="Creates a link that works once and expires after 7 days."
    >
      <Form error={invite.error} onSubmit={() => invite.mutate()}>
        <TextField
          label="Email"
          type="email"
          value={form.email}
          onChange={(email) => setForm({ ...form, email })}
          placeholder="ada@example.com"
          path="email"
          autoComplete="off"
          required
          autoFocus
        />
        <ChoiceCards
          label="Role"
          value={form.role}
          onChange={(role) => setForm({ ...form, role })}
          choices={choices}
        />
        <FormProblem />
        <ApiCall operation="inviteUser" body={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={invite.isPending}>
            Create link
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function InvitationShownOnce({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { person: user, invitationUrl, expiresAt } = invitation;
  return (
    <Dialog open onClose={onClose} title="Invitation link" keep>
      <Note tone="warn">
        No mail is sent. Send the link to <strong>{user.email}</strong> over a private channel: the first
        visitor can use it. It is shown only once.
      </Note>
      <div className="shown-once">
        <CopyField text={invitationUrl} label="invitation link" />
      </div>
      <p className="soft">
        It expires <Ago at={expiresAt} />. To replace a lost link, use the menu next to the user.
      </p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
