/** Role names and which users the current user may change. The server enforces the rules. */
import { roles, type Me, type User, type Role } from '@docyard/api';
import type { Choice } from '../../parts/field.tsx';
import type { Tone } from '../../parts/note.tsx';

export const roleNames: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
};

const roleWords: Record<Role, string> = {
  owner: 'Full access.',
  admin: 'Full access, but cannot change owners.',
  member: 'Can change exports, agent jobs and projects, and read everything.',
  viewer: 'Can read exports, agent jobs, projects and deployments.',
};

/** Roles that the current user may assign. */
export function roleChoices(me: Me): Choice<Role>[] {
  return roles
    .filter((role) => role !== 'owner' || me.person?.role === 'owner')
    .map((role) => ({ value: role, label: roleNames[role], hint: roleWords[role] }));
}

/** Users cannot change themselves, so that they cannot lock themselves out. */
export function mayChange(me: Me, user: User): boolean {
  return user.id !== me.person?.id && (user.role !== 'owner' || me.person?.role === 'owner');
}

export const statusTones: Record<User['status'], Tone> = {
  active: 'good',
  invited: 'info',
  disabled: 'quiet',
};

export function nameOf({ name, email }: User): string {
  return name === '' ? email : name;
}
