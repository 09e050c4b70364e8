// Seconds since 1970 as the text of a date box, in the time zone of a column, and back.
function makeClock(zone, withTime) {
  "use strict";
  const fixed = /^(?:UTC)?([+-])(\d\d):?(\d\d)$/.exec(zone);
  let format = null;
  if (zone && !fixed) {
    const two = "2-digit", parts = { year: "numeric", month: two, day: two, hour: two, minute: two, second: two };
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...parts });
  }
  const offset = (x) => { // of the zone at that moment, in seconds
    if (fixed) return (fixed[1] === "-" ? -60 : 60) * (60 * Number(fixed[2]) + Number(fixed[3]));
    if (!format) return 0;
    const part = Object.fromEntries(format.formatToParts(new Date(x * 1000)).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) / 1000 - Math.floor(x);
  };
  const write = (x) => new Date((x + offset(x)) * 1000).toISOString().slice(0, withTime ? 19 : 10);
  const read = (text) => {
    const local = Date.parse(`${text.length > 10 ? text : `${text}T00:00`}Z`) / 1000;
    return local - offset(local - offset(local)); // twice: the clock may change in between
  };
  return { write, read, type: withTime ? "datetime-local" : "date" };
}
