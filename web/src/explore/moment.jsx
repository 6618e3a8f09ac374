import { iso, moment } from './texts.js';

// Moment is a Unix time as date and time in UTC.
export const Moment = ({ at }) => <time dateTime={iso(at)}>{moment(at)}</time>;
