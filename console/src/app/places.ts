import { Bot, Boxes, Inbox, KeyRound, Laptop, ListTree, Plug, Settings, ShieldCheck, SquareStack, SquareTerminal, Wrench } from 'lucide-react'

/** The rooms of the console, in the order of the navigation and in its groups. `key` goes there after g; a phone's bar has those of `bar`. */
export const places = [
  { to: '/runs', name: 'Runs', icon: ListTree, key: 'r', bar: true, group: '' },
  { to: '/inbox', name: 'Inbox', icon: Inbox, key: 'i', bar: true, group: '' },
  { to: '/playground', name: 'Playground', icon: SquareTerminal, key: 'p', bar: false, group: '' },
  { to: '/tools', name: 'Tools', icon: Wrench, key: 't', bar: true, group: 'Tools' },
  { to: '/sources', name: 'Sources', icon: Boxes, key: 'o', bar: false, group: 'Tools' },
  { to: '/connections', name: 'Connections', icon: Plug, key: 'c', bar: false, group: 'Tools' },
  { to: '/policies', name: 'Policies', icon: ShieldCheck, key: 'l', bar: false, group: 'Tools' },
  { to: '/instances', name: 'Instances', icon: SquareStack, key: 'n', bar: true, group: 'Agents' },
  { to: '/agents', name: 'Agents', icon: Bot, key: 'a', bar: false, group: 'Agents' },
  { to: '/machines', name: 'Machines', icon: Laptop, key: 'm', bar: false, group: 'Agents' },
  { to: '/keys', name: 'Keys', icon: KeyRound, key: 'k', bar: false, group: 'Agents' },
  { to: '/settings', name: 'Settings', icon: Settings, key: 's', bar: false, group: 'You' },
] as const
