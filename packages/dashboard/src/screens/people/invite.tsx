/** A link for somebody new. No mail is sent: whoever invites hands it over. */
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

/** `?new=1&email=…&role=…` fills it in. */
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
    mutationFn: () => client.call('invitePerson', { body: form }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people'] }),
  });
  if (invite.data !== undefined) return <InvitationShownOnce invitation={invite.data} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="Invite somebody" lead="You get a link that works once, for 7 days.">
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
        <ApiCall operation="invitePerson" body={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={invite.isPending}>
            Make the link
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function InvitationShownOnce({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { person, invitationUrl, expiresAt } = invitation;
  return (
    <Dialog open onClose={onClose} title="Hand this link over" keep>
      <Note tone="warn">
        No mail is sent. Give the link to <strong>{person.email}</strong> in a way that only they can read:
        whoever opens it first comes in. It is shown this once.
      </Note>
      <div className="shown-once">
        <CopyField text={invitationUrl} label="invitation link" />
      </div>
      <p className="soft">
        It ends <Ago at={expiresAt} />. When it is lost, make a new one from the menu beside the person.
      </p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
