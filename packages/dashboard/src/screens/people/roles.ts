/** The roles in words, and who may change whom. The server decides; this only keeps away what it would refuse. */
import { roles, type Me, type Person, type Role } from '@docyard/api';
import type { Choice } from '../../parts/field.tsx';
import type { Tone } from '../../parts/note.tsx';

export const roleNames: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

const roleWords: Record<Role, string> = {
  owner: 'Everything, and who else is an owner.',
  admin: 'Everything, also keys, webhooks and people, but not owners.',
  member: 'Works with exports, agent jobs and projects, and reads the rest.',
  viewer: 'Reads exports, agent jobs and projects.',
};

/** The roles that this person may give away. */
export function roleChoices(me: Me): Choice<Role>[] {
  return roles
    .filter((role) => role !== 'owner' || me.person?.role === 'owner')
    .map((role) => ({ value: role, label: roleNames[role], hint: roleWords[role] }));
}

/** Nobody changes themselves here: one slip, and there is no way back in. */
export function mayChange(me: Me, person: Person): boolean {
  return person.id !== me.person?.id && (person.role !== 'owner' || me.person?.role === 'owner');
}

export const statusTones: Record<Person['status'], Tone> = {
  active: 'good',
  invited: 'info',
  disabled: 'quiet',
};

export function nameOf({ name, email }: Person): string {
  return name === '' ? email : name;
}
