// Tables of whole numbers in base 64, as the report packs them, to nested arrays.
function unpackModel(model) {
  "use strict";
  const unpack = (table) => {
    if (!table || !table.packed) return table;
    const bytes = Uint8Array.from(atob(table.packed), (letter) => letter.charCodeAt(0));
    const numbers = new DataView(bytes.buffer);
    let next = 0;
    const build = (shape) => shape.length
      ? Array.from({ length: shape[0] }, () => build(shape.slice(1)))
      : numbers.getInt32(4 * next++, true) * table.unit;
    return build(table.shape);
  };
  const open = (part) => ({ ...part, table: unpack(part.table) });
  return { ...model, columns: model.columns.map(open), pairs: model.pairs.map(open) };
}
