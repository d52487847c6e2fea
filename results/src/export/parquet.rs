//! Tables as Parquet: columns keep their types, and missing values are null.

use std::mem;
use std::sync::Arc;

use arena_ledger::ledger::Ledger;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

use super::{Column, ExportError, Kind, Out, Row, Rows, each};
use crate::scalar::Scalar;

/// Minimum number of rows in a row group. The rows of a match stay together, so a group may have a few more.
const MIN_GROUP_ROWS: usize = 1 << 16;

/// Writes the rows of all matches.
pub(super) fn write(
    ledger: &Ledger,
    columns: &[Column],
    rows: &Rows<'_>,
    out: Out<'_>,
) -> Result<(), ExportError> {
    let fields = columns.iter().map(|(name, kind)| match kind {
        Kind::Integer => format!("optional int64 {name};"),
        Kind::Number => format!("optional double {name};"),
        Kind::Flag => format!("optional boolean {name};"),
        Kind::Text => format!("optional binary {name} (UTF8);"),
    });
    let schema = parse_message_type(&format!(
        "message rows {{ {} }}",
        fields.collect::<String>()
    ))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let mut kept = Vec::new();
    each(ledger, rows, &mut |rows| {
        kept.extend(rows);
        if kept.len() < MIN_GROUP_ROWS {
            Ok(())
        } else {
            group(&mut file, columns, &mem::take(&mut kept))
        }
    })?;
    group(&mut file, columns, &kept)?;
    file.close()?;
    Ok(())
}

fn group(
    file: &mut SerializedFileWriter<Out<'_>>,
    columns: &[Column],
    rows: &[Row],
) -> Result<(), ExportError> {
    let mut group = file.next_row_group()?;
    for (index, (_, kind)) in columns.iter().enumerate() {
        let mut writer = group
            .next_column()?
            .expect("the group has all columns of the schema");
        put(
            &mut writer,
            *kind,
            &rows.iter().map(|row| &row[index]).collect::<Vec<_>>(),
        )?;
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

/// Writes the cells of a column. Returns an error if a cell is neither missing nor of the column's type.
fn put(
    writer: &mut SerializedColumnWriter<'_>,
    kind: Kind,
    cells: &[&Scalar<'_>],
) -> Result<usize, ParquetError> {
    let mut integers = Vec::new();
    let mut numbers = Vec::new();
    let mut flags = Vec::new();
    let mut texts = Vec::new();
    let mut present = Vec::new();
    for cell in cells {
        present.push(i16::from(**cell != Scalar::Missing));
        match cell {
            Scalar::Missing => {}
            Scalar::Integer(number) => integers.push(*number),
            Scalar::Count(number) => integers.push(*number as i64),
            Scalar::Number(number) => numbers.push(*number),
            Scalar::Flag(flag) => flags.push(*flag),
            Scalar::Text(text) => texts.push(ByteArray::from(text.as_ref())),
        }
    }
    match kind {
        Kind::Integer => writer
            .typed::<Int64Type>()
            .write_batch(&integers, Some(&present), None),
        Kind::Number => writer
            .typed::<DoubleType>()
            .write_batch(&numbers, Some(&present), None),
        Kind::Flag => writer
            .typed::<BoolType>()
            .write_batch(&flags, Some(&present), None),
        Kind::Text => writer
            .typed::<ByteArrayType>()
            .write_batch(&texts, Some(&present), None),
    }
}
