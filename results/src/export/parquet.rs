//! Tables as Parquet: the types of columns kept, missing values null, compressed with zstd.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::{Column, ExportError, Row};
use crate::scalar::Scalar;

/// The number of rows that are kept together, or a few more: those of a match are not parted.
const GROUP: usize = 1 << 16;

/// A table that is being written.
pub(super) struct Parquet<'a> {
    columns: &'a [Column],
    file: SerializedFileWriter<&'a mut (dyn Write + Send)>,
    rows: Vec<Row<'static>>,
}

impl<'a> Parquet<'a> {
    /// A table of these columns.
    pub(super) fn new(
        columns: &'a [Column],
        out: &'a mut (dyn Write + Send),
    ) -> std::result::Result<Self, ExportError> {
        let file = || {
            let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?))).collect::<Result<_>>()?;
            let schema = Type::group_type_builder("table").with_fields(fields).build()?;
            let compression = Compression::ZSTD(ZstdLevel::try_new(super::out::LEVEL)?);
            let properties = WriterProperties::builder().set_compression(compression).build();
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        };
        Ok(Self { columns, file: file().map_err(failed)?, rows: Vec::new() })
    }

    /// Takes in the rows of a match.
    pub(super) fn add(&mut self, rows: Vec<Row<'static>>) -> std::result::Result<(), ExportError> {
        self.rows.extend(rows);
        if self.rows.len() < GROUP { Ok(()) } else { self.write().map_err(failed) }
    }

    /// Writes the rest.
    pub(super) fn finish(mut self) -> std::result::Result<(), ExportError> {
        self.write().and_then(|()| self.file.close()).map(drop).map_err(failed)
    }

    fn write(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            let cells: Vec<&Scalar<'_>> = rows.iter().map(|row| &row[index]).collect();
            let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            put(&mut writer, column, &cells)?;
            writer.close()?;
        }
        group.close().map(drop)
    }
}

fn field(column: &Column) -> Result<Type> {
    let (physical, logical) = match column {
        Column::Integer(_) => (Physical::INT64, None),
        Column::Number(_) => (Physical::DOUBLE, None),
        Column::Flag(_) => (Physical::BOOLEAN, None),
        Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(column.name(), physical).with_logical_type(logical).build()
}

fn put(writer: &mut SerializedColumnWriter<'_>, column: &Column, cells: &[&Scalar<'_>]) -> Result<()> {
    match column {
        Column::Integer(_) => values::<Int64Type>(writer, cells, |cell| match cell {
            Scalar::Integer(number) => Some(*number),
            Scalar::Count(number) => i64::try_from(*number).ok(),
            _ => None,
        }),
        Column::Number(_) => values::<DoubleType>(writer, cells, |cell| match cell {
            Scalar::Number(number) => Some(*number),
            _ => None,
        }),
        Column::Flag(_) => values::<BoolType>(writer, cells, |cell| match cell {
            Scalar::Flag(flag) => Some(*flag),
            _ => None,
        }),
        Column::Text(_) => values::<ByteArrayType>(writer, cells, |cell| match cell {
            Scalar::Text(text) => Some(ByteArray::from(text.as_ref())),
            _ => None,
        }),
    }
}

/// Writes the values of a column; one that is neither missing nor of its type is an error.
fn values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    cells: &[&Scalar<'_>],
    value: fn(&Scalar<'_>) -> Option<T::T>,
) -> Result<()> {
    let present: Vec<i16> = cells.iter().map(|cell| i16::from(**cell != Scalar::Missing)).collect();
    let values: Vec<T::T> = cells.iter().filter_map(|cell| value(cell)).collect();
    writer.typed::<T>().write_batch(&values, Some(&present), None).map(drop)
}

/// The error of the output, or of what cannot be written.
fn failed(error: ParquetError) -> ExportError {
    match error {
        ParquetError::External(error) => error.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error),
        other => io::Error::other(other),
    }
    .into()
}
